"""The street and the rooms, as far as import-linter cannot see them."""

from __future__ import annotations

import re
import runpy
from collections.abc import Callable, Iterable
from importlib import import_module
from inspect import getmembers, isfunction, signature
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.db.migrations.loader import MigrationLoader
from django.db.models import ForeignObject, ManyToManyField, Model

from accounts.hooks import followers as of_accounts
from annotation.hooks import followers, subscribers
from annotation.models import State
from jobs.hooks import served
from jobs.job_types import job_types
from parable.kinds import KINDS
from parable.quality.gates import GATES
from projects.hooks import followers as copiers
from projects.models import Role
from projects.permissions import PERMISSIONS
from review.services import close_requests, open_requests
from review.services.request import STAGE_OF
from tests.architecture import (
    BASE,
    OUR_FOLDERS,
    STREET,
    imported_from,
    is_service,
    reverse_uses,
    sources,
    writes_in,
)
from tests.upgrades.stored import HASHES

MOST = {"exemptions": 116, "dict[str, Any]": 158}
"""Exemptions from checks, and values of unknown shape, that the house may have."""

OUR_MODELS = [model for model in apps.get_models() if model._meta.app_label in STREET]


def _relations(model: type[Model]) -> list[ForeignObject[Any, Any] | ManyToManyField[Any, Any]]:
    return [
        field
        for field in (*model._meta.local_fields, *model._meta.local_many_to_many)
        if isinstance(field, ForeignObject | ManyToManyField)
    ]


def test_it_has_apps_in_the_order_of_the_street() -> None:
    assert [app.name for app in apps.get_app_configs() if app.name in STREET] == STREET


@pytest.mark.parametrize("model", OUR_MODELS, ids=lambda model: model._meta.label)
def test_it_points_foreign_keys_down_the_street(model: type[Model]) -> None:
    here = STREET.index(model._meta.app_label)
    for field in _relations(model):
        target = field.related_model._meta.app_label
        if target in STREET:
            assert STREET.index(target) >= here, f"{model._meta.label}.{field.name} points up, to {target}"


@pytest.mark.parametrize("app", STREET)
def test_it_never_looks_up_the_street_through_a_reverse_accessor(app: str) -> None:
    above = set(STREET[: STREET.index(app)])
    names = {
        str(field.remote_field.get_accessor_name())
        for model in OUR_MODELS
        if model._meta.app_label in above
        for field in _relations(model)
        if field.related_model._meta.app_label not in above and not field.remote_field.hidden
    }
    uses = [use for path in sources(app) for use in reverse_uses(path, names)]
    assert uses == []


@pytest.mark.parametrize("app", STREET)
def test_it_writes_rows_in_services_only(app: str) -> None:
    elsewhere = [str(write) for path in sources(app) if not is_service(path) for write in writes_in(path)]
    assert elsewhere == []


@pytest.mark.parametrize("app", STREET)
def test_it_writes_the_rows_of_other_apps_through_their_services(app: str) -> None:
    foreign = []
    for path in filter(is_service, sources(app)):
        theirs = set().union(*(imported_from(path, f"{other}.models") for other in STREET if other != app))
        foreign += [str(write) for write in writes_in(path) if write.root in theirs]
    assert foreign == []


def test_it_says_at_each_deletion_why_rows_go() -> None:
    """The database keeps what people wrote and judged; a comment says of all else what goes."""
    silent = [
        str(write)
        for path in filter(is_service, sources(*STREET))
        for write in writes_in(path)
        if write.call == ".delete()"
        if not any(
            "  # " in line or line.lstrip().startswith("# ")
            for line in path.read_text(encoding="utf-8").splitlines()[max(0, write.line - 2) : write.line]
        )
    ]
    assert silent == []


HOOKS = [import_module(f"{path.parent.name}.hooks") for path in sorted(BASE.glob("*/hooks.py"))]
REGISTERING = {
    name
    for module in HOOKS
    for name, function in getmembers(module, isfunction)
    if not name.startswith("_")
    and {"handler", "follower", "nudge", "source"} & signature(function).parameters.keys()
}
"""The functions of hooks by which an app above registers what it does."""


def test_it_registers_hooks_as_apps_are_ready() -> None:
    """So that one file of each app says what it does while another app writes."""
    call = re.compile(rf"^(?!def ).*\b({'|'.join(sorted(REGISTERING))})\(", re.MULTILINE)
    found = {path for path in sources(*STREET, "config") if call.search(path.read_text(encoding="utf-8"))}
    assert {path.name for path in found} == {"apps.py"}


def test_it_calls_services_of_apps_above_by_hooks() -> None:
    """What follows in a transaction is written by services, as all that is written."""
    called: dict[str, set[Callable[..., object]]] = {
        "annotation": {*chain(*subscribers().values()), *followers()},
        "projects": {*copiers()},
        "accounts": {*of_accounts()},
    }
    for app, handlers in called.items():
        assert handlers
        for handler in handlers:
            above, layer, *_rest = handler.__module__.split(".")
            assert (layer, STREET.index(above) < STREET.index(app)) == ("services", True), handler


def test_it_opens_and_closes_requests_by_the_stages_of_states() -> None:
    """An item is in line in the states of a stage, and in no other that it enters."""
    wanted = {
        state: (open_requests if state in STAGE_OF else close_requests,)
        for state in State
        if state != State.DRAFT
    }
    assert subscribers() == wanted


def test_it_serves_the_calls_of_each_job_that_asks_models() -> None:
    nudges = served()
    assert {name for name, job in job_types().items() if job.asks_models} <= nudges.keys()
    assert {nudge.__module__.partition(".")[2] for nudge in nudges.values()} == {"tasks"}


@pytest.mark.parametrize("model", OUR_MODELS, ids=lambda model: model._meta.label)
def test_it_saves_and_deletes_rows_without_side_effects(model: type[Model]) -> None:
    for method in ("save", "delete", "save_base"):
        owner = next(part for part in model.__mro__ if method in vars(part))
        assert not owner.__module__.startswith(tuple(STREET)), f"{model._meta.label}.{method}"


SIGNAL = re.compile("signal|receiver", re.IGNORECASE)


def test_it_uses_no_signals() -> None:
    modules = ("django.db.models.signals", "django.core.signals", "django.dispatch", "django.db.models")
    users = [
        str(path.relative_to(BASE))
        for path in sources(*STREET, "config")
        if SIGNAL.search(path.read_text(encoding="utf-8"))  # parsing every file four times takes long
        for module in modules
        if {name for name in imported_from(path, module) if "signal" in name.lower() or name == "receiver"}
        or (imported_from(path, module) and module.endswith("signals"))
    ]
    assert users == []


def test_it_has_only_drills_among_the_drills() -> None:
    """The folder is not collected where no drill is asked for."""
    modules = (BASE / "tests" / "drills").glob("test_*.py")
    marked = re.compile(
        r"^pytestmark = (\[\s*)?(pytest\.mark\.django_db, )?pytest\.mark\.drill\b", re.MULTILINE
    )
    assert [path.name for path in modules if not marked.search(path.read_text(encoding="utf-8"))] == []


def test_it_has_rooms_with_names_that_say_something() -> None:
    vague = {"utils", "util", "helpers", "helper", "common", "misc", "base_utils"}
    assert [path for path in sources(*OUR_FOLDERS) if vague & {path.stem, path.parent.name}] == []


AVOIDED = {
    "barred": "excluded",
    "deputy": "substitute",
    "fate": "outcome",
    "flag": "finding",
    "gold": "practice item",
    "kept": "cached, stored or unchanged",
    "lane": "slot",
    "leaver": "departing member",
    "piece": "what it is a piece of",
    "pieces": "what they are pieces of",
    "probe": "partial-input baseline",
    "problem": "finding, row error or refusal",
    "purse": "budget",
    "ran": "result",
    "remark": "finding",
    "said": "text, reply or message",
    "settled": "recorded, decided or closed",
    "sheet": "a form, a page of rows, a table",
    "shown": "a view, a row",
    "slip": "misclick",
    "tells": "surface cues",
    "thirds": "ability groups",
    "told": "finding",
    "wishes": "form data",
}
"""Words that classes and columns avoid, and what they say instead."""
CLASS = re.compile(r"^ *class (\w+)(?!.*# so named: )", re.MULTILINE)
"""A class, unless its line says why it is named by such a word."""
FUNCTION = re.compile(r"^ *(?:async )?def ([a-z]\w*)", re.MULTILINE)
OF_FUNCTIONS = AVOIDED.keys() - {"flag", "piece", "pieces", "problem", "remark", "sheet"}
"""Of these, the words that public functions avoid, too."""


def avoided_words(name: str) -> set[str]:
    """The words of a name in snake or camel case that are avoided."""
    return AVOIDED.keys() & {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)}


def test_it_names_classes_and_columns_by_what_they_are() -> None:
    """A table or a column that databases have keeps its name: see tests/upgrades/migrations.sha256."""
    stored = stored_columns()
    classes = {
        f"{path.relative_to(BASE).as_posix()}: {name}"
        for path in sources(*OUR_FOLDERS)
        for name in CLASS.findall(path.read_text(encoding="utf-8"))
        if avoided_words(name) and f"{path.relative_to(BASE).parts[0]}.{name}".lower() not in stored
    }
    columns = {
        str(field)
        for model in OUR_MODELS
        for field in model._meta.local_fields
        if avoided_words(field.name) and field.name not in stored.get(model._meta.label_lower, ())
    }
    assert classes | columns == set()


def stored_columns() -> dict[str, set[str]]:
    """The columns by model that the migrations make which databases out there may have applied."""
    names = [Path(line.split()[1]) for line in HASHES.read_text(encoding="ascii").splitlines()]
    nodes = [(name.parts[0], name.stem) for name in names]
    state = MigrationLoader(None).project_state(nodes)
    return {f"{app}.{model}": {*one.fields} for (app, model), one in state.models.items()}


def test_it_names_functions_by_what_they_return_or_do() -> None:
    functions = {
        f"{path.relative_to(BASE).as_posix()}: {name}"
        for path in sources(*STREET, "config")
        for name in FUNCTION.findall(path.read_text(encoding="utf-8"))
        if avoided_words(name) & OF_FUNCTIONS
    }
    assert functions == set()


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("GateShown", {"shown"}),
        ("is_slip", {"slip"}),
        ("Slippage", set()),
        ("RANKS", set()),
        ("Ran", {"ran"}),
    ],
)
def test_it_finds_avoided_words_in_names(name: str, found: set[str]) -> None:
    assert avoided_words(name) == found


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("item.save()", True),
        ("item.save(update_fields=['state'])", True),
        ("super().save()", False),
        ("storage.save('name', content)", False),
        ("Item.objects.create(state='draft')", True),
        ("Item.objects.filter(pk=1).update(state='draft')", True),
        ("{}.update({'a': 1})", False),
        ("item.delete()", True),
        ("cache.delete('key')", False),
        ("Item.objects.bulk_create(rows)", True),
        ("Item.objects.get_or_create(pk=1)", True),
    ],
)
def test_it_distinguishes_writes_from_what_looks_like_them(code: str, found: bool, tmp_path: Path) -> None:
    path = tmp_path / "views.py"
    path.write_text(code, encoding="utf-8")
    assert bool(writes_in(path)) is found


def test_it_finds_who_looks_up_the_street(tmp_path: Path) -> None:
    path = BASE / "tests" / "architecture.py"
    assert reverse_uses(path, {"reviews"}) == []
    planted = tmp_path / "queries.py"
    planted.write_text(
        "a = item.reviews.filter()\nb = Item.objects.filter(reviews__rating=1)\nc = d.items()\n"
    )
    assert len(reverse_uses(planted, {"reviews", "items"})) == 2


def say_that_they_name(what: str, paths: Iterable[Path]) -> set[Path]:
    """The sources that say, in a comment of their own, that they name tasks, gates or roles, and why."""
    mark = re.compile(rf"^# Names {what}: \S.*\.$", re.MULTILINE)
    return {path for path in paths if mark.search(path.read_text(encoding="utf-8"))}


COLUMNS = {field.name for model in apps.get_app_config("corpus").get_models() for field in model._meta.fields}


NAMING = {BASE / "parable" / "kinds", BASE / "annotation" / "kinds", BASE / "parable" / "formats" / "foreign"}
"""Folders of the registry of tasks, and of the formats of other tools, which say what their questions are."""


def names_a_task(text: str) -> bool:
    """Whether a source has the name of a task: as a value, in an address, as a constant or as its entry.

    A story has a moral, too: a name that is a column of stories counts where it stands beside "task".
    """
    name = "|".join(KINDS.keys() - COLUMNS)
    both = "|".join(KINDS.keys() & COLUMNS)
    found = (
        rf"""["']({name})["']|task=({name}|{both})\b|kinds\.({name}|{both})\b|\b({name.upper()})\b"""
        rf"""|\btasks?\b[^\n"']{{0,9}}["']({both})["']|Task\.({both.upper()})\b"""
    )
    return re.search(found, text) is not None


def test_it_names_tasks_in_the_registry_alone() -> None:
    folders = ("templates", "static/js", "release/files/harness")
    pages = [path for folder in folders for path in (BASE / folder).rglob("*.*")]
    paths = [*sources(*STREET, "config", "parable", "scripts"), *pages]
    found = {
        path
        for path in paths
        if not NAMING & {*path.parents}
        if names_a_task(path.read_text(encoding="utf-8"))
    }
    assert found == say_that_they_name("tasks", paths)


def test_it_names_gates_in_their_modules_alone() -> None:
    name = "|".join(gate for gate in GATES if gate != "rights")  # which is a column of stories, too
    paths = [*sources(*STREET, "config", "parable", "scripts")]
    found = {
        path
        for path in paths
        if BASE / "parable" / "quality" / "gates" not in path.parents
        if re.search(rf"""["']({name})["']""", path.read_text(encoding="utf-8"))
    }
    assert found == say_that_they_name("gates", paths)


def test_it_asks_for_permissions_and_not_for_roles() -> None:
    pages = [path for folder in ("templates", "static/js") for path in (BASE / folder).rglob("*.*")]
    role = "|".join(Role.values)
    paths = [*sources(*STREET, "config"), *pages]
    found = {
        path
        for path in paths
        if BASE / "projects" not in path.parents
        if re.search(rf"""\bRole\.[A-Z]+\b|["']({role})["'] in\b""", path.read_text(encoding="utf-8"))
    }
    assert found == say_that_they_name("roles", paths)


def test_it_says_what_each_role_may_do() -> None:
    assert list(PERMISSIONS) == list(Role)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('if item.task == "moral":', True),
        ("if item.task == Task.MORAL:", True),
        ("from parable.kinds.moral import ENTRY", True),
        ("AND item.task = 'commonsense'", True),
        ('{% if item.task == "commonsense" %}', True),
        ('<a href="{{ url }}?task=moral">', True),
        ("show(story.moral, moral=story.moral)", False),
        ('Story.objects.only("pk", "moral")', False),
        ('if task in ("moral", "cloze"):', True),
        ('"""The moral of the story."""', False),
        ('kind_of(item.task).key_from_moral and codes("key_from_moral")', False),
    ],
)
def test_it_distinguishes_names_of_tasks_from_what_looks_like_them(text: str, found: bool) -> None:
    assert names_a_task(text) is found


def test_types_stay_tight() -> None:
    count = runpy.run_path(str(BASE / "scripts" / "size.py"))
    found = count["measure"](dict(count["read"](None)))
    kept = {name: found[name] for name in MOST}
    assert all(found[name] <= most for name, most in MOST.items()), kept
