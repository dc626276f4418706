"""Services that parse the responses of LLMs and save them in the transaction that closes their calls."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from evaluation.models import Response, Run
from evaluation.queries.response import answer_columns
from jobs import services as jobs
from jobs.models import Call
from parable.formats.responses import served_of
from parable.kinds import kind_of
from parable.llm import presentation
from release.models import ReleaseItem


def run_call(*, call_id: int, goes_on: bool = False) -> jobs.CallResult:
    """Run a waiting call and save the response. Safe to call twice."""
    return jobs.run_call(call_id=call_id, keep=keep_response, goes_on=goes_on)


def run_claimed(*, claim: jobs.Claim, goes_on: bool = False) -> jobs.CallResult:
    """Run a call that was claimed in the slot of the previous call, and save the response."""
    return jobs.run_claimed(claim=claim, keep=keep_response, goes_on=goes_on)


def keep_response(call: Call) -> str:
    """Parse a model's answer and save it as a response. Always return "": no answer is unusable.

    A call is answered once; the database refuses a second response.
    """
    about = call.subject
    question = _question(about["run"], about["item"])
    order = question.orders(about["repeat"])[about["rotation"]]
    kind = kind_of(question.record["task"])
    served = served_of(about)
    finish = str(served.get("finish_reason", ""))
    read = kind.question.read_as_ended(call.raw_response, question.record, order, finish)
    Response.objects.create(
        run_id=about["run"],
        item_id=about["item"],
        repeat=about["repeat"],
        rotation=about["rotation"],
        order=order,
        text=call.raw_response,
        served=served,
        call=call,
        **answer_columns(question.record, read),
    )
    return ""


@dataclass(frozen=True, slots=True)
class _Question:
    """The data that all calls of a run's item share."""

    public_id: str
    record: Mapping[str, Any]
    how: str
    seed: str

    def orders(self, repeat: int) -> list[presentation.Order]:
        return presentation.orders_of(
            len(self.record["choices"]), self.how, seed=self.seed, item=self.public_id, repeat=repeat
        )


@lru_cache(maxsize=5000)
def _question(run_id: int, item_id: int) -> _Question:
    """Return the data of a run's item, cached in the process, as releases and runs do not change."""
    how, seed = _way(run_id)
    public_id, record = ReleaseItem.objects.values_list("public_id", "record").get(pk=item_id)
    return _Question(public_id, record, how, seed)


@lru_cache(maxsize=100)
def _way(run_id: int) -> tuple[str, str]:
    return Run.objects.values_list("order", "seed").get(pk=run_id)
