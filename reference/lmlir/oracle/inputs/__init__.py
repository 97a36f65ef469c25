"""On what a subject is judged: corner cases, random cases, large ones, and the layouts of their
arrays.
"""
