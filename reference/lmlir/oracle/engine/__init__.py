"""The engine: runs implementations in processes of their own and asks them questions. It knows nothing of the paper.

subjects    the interface of a subject, a subject made of functions in this process, and loading of Python modules
process     a subject in another process: started, asked, timed out, restarted and ended
worker      the loop in the child process of a Python module
messages    what travels between the two: one JSON object per line, for Python modules followed by the numbers of arrays
"""
