"""What others have printed, as data: the paper's tables, PTRM's and EqR's, and what is odd there."""
