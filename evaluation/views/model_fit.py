"""View model of model fit: the IRT model that the responses support, and misfit."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from evaluation.models import ResponseModel
from parable.psychometrics.fit.pairs import MOST_ITEMS
from parable.psychometrics.irt import ENOUGH_EXAMINEES, FEW_EXAMINEES

Json = Mapping[str, Any]


def model_choice(fit: Json) -> dict[str, object]:
    """Return the rows that compare the IRT models, and a sentence about the supported model.

    Both are empty if no models were compared.
    """
    compared = fit.get("models") or []
    if not compared:
        return {"model_rows": [], "borne": ""}
    by_aic = min(compared, key=lambda one: one["aic"])["model"]
    message = _(
        "The answers of %(n)d examinees bear the %(borne)s: lowest BIC, or simpler and at most 2 higher."
        " Lowest AIC: %(aic)s. Each estimated without priors."
    ) % {
        "n": compared[0]["examinees"],
        "borne": ResponseModel(fit["borne"]).label,
        "aic": ResponseModel(by_aic).label,
    }
    rows = [{**one, "label": ResponseModel(one["model"]).label} for one in compared]
    return {"model_rows": rows, "borne": message}


def fit_figures(fit: Json, address: str) -> list[tuple[str, str, str, str]]:
    """Return (name, value, note, URL) of each statistic of model fit."""
    return [_model(fit, address), _pairs(fit, address), _items(fit, address), _people(fit)]


def _model(fit: Json, address: str) -> tuple[str, str, str, str]:
    name = _("Model borne by the answers")
    if not fit["models"]:
        note = _("not compared: needs %(n)d examinees, and no more answers than can be estimated anew") % {
            "n": ENOUGH_EXAMINEES
        }
        return name, "–", note, ""
    note = _("by BIC, of %(n)d examinees") % {"n": fit["models"][0]["examinees"]}
    return name, str(ResponseModel(fit["borne"]).label), note, address


def _pairs(fit: Json, address: str) -> tuple[str, str, str, str]:
    name = _("Fit of item pairs (M2)")
    if not (one := fit["pairs"]):
        note = _(
            "not applicable: needs %(n)d examinees who answered every item, and at most %(items)d items"
        ) % {
            "n": ENOUGH_EXAMINEES,
            "items": MOST_ITEMS,
        }
        return name, "–", note, ""
    note = _(
        "%(df)d degrees of freedom, p = %(p).3f; RMSEA2 %(rmsea).3f (90 %%: %(low).3f to %(high).3f),"
        " of %(n)d examinees"
    ) % {
        "df": one["df"],
        "p": one["p_value"],
        "rmsea": one["rmsea"],
        "low": one["low"],
        "high": one["high"],
        "n": one["examinees"],
    }
    return name, f"{one['m2']:.1f}", note, address


def _items(fit: Json, address: str) -> tuple[str, str, str, str]:
    name = _("Items that do not fit (S-X²)")
    if not (one := fit["items"]):
        note = _("not applicable: needs %(n)d examinees who answered every item") % {"n": ENOUGH_EXAMINEES}
        return name, "–", note, ""
    note = _("p over all items (Holm) below 0.05, of %(n)d examinees") % {"n": one["examinees"]}
    return name, str(one["misfits"]), note, f"{address}?which=misfit"


def _people(fit: Json) -> tuple[str, str, str, str]:
    name = _("Examinees that do not fit (l_z*)")
    if not fit["people"]:
        return name, "–", _("not applicable: needs %(n)d examinees") % {"n": FEW_EXAMINEES}, ""
    note = _("p over all examinees (Holm) below 0.05, of %(n)d examinees") % {"n": fit["people"]["examinees"]}
    return name, str(fit["people"]["misfits"]), note, "?view=examinees"
