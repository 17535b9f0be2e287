"""Why a run ended, in the sandbox's words: they travel in English, and are said in a course's language where students read them."""

from __future__ import annotations

import functools
import re

from autograder.course.language import marked, say

WAITING = marked("it was waiting for something that did not come")
STOPPED = marked("it was stopped")  # by the code that watched its losses
OVERWORKED = marked("it sent so much, or in so many pieces, that reading it took too long")
MANY_ANSWERS = marked("its answers came to more than {0} MB")
LARGE_ANSWER = marked("it sent more than {0} MB")
NO_TIME_LEFT = marked("the time for the whole submission was used up")
OUT_OF_MEMORY = marked("the memory of this machine or container ran out")
NO_RESULT = marked("it wrote something that is not a result to the result channel")
OTHER_RESULT = marked("it sent something other than the next result")
NO_EVENT = marked("it sent something other than a result")
NO_DATA = marked("it sent bytes that are not data ({0})")
CHANNEL_CLOSED = marked("it closed its result channel")
EXIT_CODE = marked("exit code {0}")
SIGNAL = marked("signal {0}")
TOOK_GPU_MEMORY = marked("it took {0} MB of the GPU; {1} MB are allowed")
TOOK_SHARED_MEMORY = marked("it took {0} MB of memory in shared mappings; {1} MB are allowed")
# Our own failures.
NOT_STARTED = marked("its process did not start: {0}")
SILENT = marked("nothing came of it in {0} s")
SAME_WHEN_EMPTY = marked("an empty file comes to the same: {0}")
PRELOADER_GONE = marked("the preloader is gone")
KILLED_FROM_OUTSIDE = marked("it was killed from outside")
GPU_LOST = marked("{0} is lost for this run: {1}. Mend it or name another device, and grade again.")
_SENTENCES = (
    WAITING, STOPPED, OVERWORKED, MANY_ANSWERS, LARGE_ANSWER, NO_TIME_LEFT, OUT_OF_MEMORY, NO_RESULT, OTHER_RESULT, NO_EVENT,
    NO_DATA, CHANNEL_CLOSED, EXIT_CODE, SIGNAL, TOOK_GPU_MEMORY, TOOK_SHARED_MEMORY, NOT_STARTED, SILENT, SAME_WHEN_EMPTY,
    PRELOADER_GONE, KILLED_FROM_OUTSIDE, GPU_LOST,
    # What a child says of an answer that cannot be sent: it imports nothing of ours, so its words are here again.
    marked("more than memory holds"),
    marked("reading it fails"),
    marked("more text than fits; arrays are the way to return much data"),
    marked("more than {0} values"),
    marked("more than {0} arrays"),
    marked("nested more than {0} deep"),
)  # fmt: skip


def why_ended(text: str) -> str:
    """Return why a run ended in the language spoken; what is none of these sentences stays as it is."""
    for sentence in _SENTENCES:
        if match := _pattern(sentence).fullmatch(text):
            return say(sentence, *map(why_ended, match.groups())) if match.groups() else say(sentence)
    return text


@functools.cache
def _pattern(sentence: str) -> re.Pattern[str]:
    """Return what a sentence looks like with its values."""
    return re.compile(re.sub(r"\\\{\d\\\}", "(.*)", re.escape(sentence)), re.DOTALL)
