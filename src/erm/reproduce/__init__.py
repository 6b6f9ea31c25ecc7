"""The paper's tables and figures: suites, budgets, one file a table, one command that resumes."""
