"""What was found: laws are tried on a subject, and counterexamples are made smaller and
replayed.
"""
