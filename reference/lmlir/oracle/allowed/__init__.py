"""What an honest program may return: brackets, and the true values to 50 digits that verify
them.
"""
