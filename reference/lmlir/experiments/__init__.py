"""Section 6: the data sets, the protocol, the comparison and its ablations, and what they show."""
