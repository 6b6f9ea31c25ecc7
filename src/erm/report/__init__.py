"""Tables, figures and documents of them: CSV, Markdown and pages that need nothing else."""
