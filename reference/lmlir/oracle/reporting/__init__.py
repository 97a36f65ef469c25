"""How it is shown: the data of a report, its text, and a page with drawings."""
