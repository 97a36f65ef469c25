"""The report as JUnit XML, which hosted CI shows: one test case per law."""

from __future__ import annotations

from xml.etree import ElementTree as xml

from lmlir.oracle.judging.judgment import EXPECTED
from lmlir.oracle.reporting.data import Data
from lmlir.oracle.reporting.markup import visible

ELEMENTS = {
    "violated": "failure",
    "errored": "error",
    EXPECTED: "skipped",
    "not offered": "skipped",
    "not judged": "skipped",
}


def as_junit(content: Data) -> str:
    """The whole file."""
    counts = content["counts"]
    suite = xml.Element("testsuite", name=visible(f"lmlir check {content['subject']}"))
    suite.set("tests", str(max(len(content["laws"]), 1)))
    suite.set("failures", str(counts["violated"]))
    suite.set("errors", str(counts["errored"] + (not content["laws"])))
    for law in content["laws"]:
        seconds = str(law["seconds"])
        case = xml.SubElement(suite, "testcase", classname=law["kind"], name=law["law"])
        case.set("time", seconds)
        if law["status"] in ELEMENTS:
            counterexample = law["counterexample"] or {"sentence": law["reason"], "snippet": ""}
            result = xml.SubElement(case, ELEMENTS[law["status"]])
            result.set("message", visible(counterexample["sentence"]))
            result.text = visible(counterexample["snippet"])
    if not content["laws"]:
        case = xml.SubElement(suite, "testcase", classname="lmlir", name="the run")
        xml.SubElement(case, "error", message=visible(content["reason"]))
    return xml.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"
