"""The line protocol in a dozen lines, for one function: the Euclidean distance, which is right
without regions.
"""

import json
import math
import sys

for line in sys.stdin:
    question = json.loads(line)
    if question["call"] == "start":
        answer = {"version": 1, "name": "Euclid", "language": "Python", "offers": ["distances"]}
    elif question["call"] == "stop":
        break
    else:
        pairs = zip(question["arguments"]["X_i"], question["arguments"]["X_j"], strict=True)
        answer = {"id": question["id"], "result": [math.dist(x_i, x_j) for x_i, x_j in pairs]}
    print(json.dumps(answer), flush=True)
