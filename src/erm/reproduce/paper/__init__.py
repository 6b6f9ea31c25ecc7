"""What others have printed, as data: the paper, PTRM and EqR, and what is odd there."""
