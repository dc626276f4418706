"""The operation that creates the tables of an app together."""

from __future__ import annotations

import pytest
from django.db import connection, models
from django.db.migrations.operations import CreateModel
from django.db.migrations.state import ProjectState

from web.migration import CreateModels


def _refers_to(model: str) -> models.ForeignKey[object]:
    return models.ForeignKey(f"farm.{model}", on_delete=models.CASCADE, null=True)


def _key() -> models.BigAutoField[int, int]:
    return models.BigAutoField(primary_key=True)


@pytest.mark.django_db
def test_it_creates_tables_that_refer_to_each_other_and_drops_them() -> None:
    hen = CreateModel("Hen", [("id", _key()), ("first_egg", _refers_to("egg"))])
    egg = CreateModel("Egg", [("id", _key()), ("hen", _refers_to("hen"))])
    step = CreateModels([hen, egg])
    before, after = ProjectState(), ProjectState()
    step.state_forwards("farm", after)
    with connection.schema_editor() as editor:
        step.database_forwards("farm", editor, before, after)
    with connection.cursor() as cursor:
        refers = connection.introspection.get_relations
        assert refers(cursor, "farm_hen") == {"first_egg_id": ("id", "farm_egg")}
        assert refers(cursor, "farm_egg") == {"hen_id": ("id", "farm_hen")}
    with connection.schema_editor() as editor:
        step.database_backwards("farm", editor, after, before)
    assert not {"farm_hen", "farm_egg"} & set(connection.introspection.table_names())
    assert step.describe() == "Create Hen, Egg"


def test_it_renders_models_when_all_are_there() -> None:
    """A state that is rendered would render what has to do with a model again for each one that is added."""
    state = ProjectState()
    assert list(state.apps.get_models()) == []
    CreateModels([CreateModel("Egg", [("id", _key())])]).state_forwards("farm", state)
    assert "apps" not in vars(state)
    assert [model.__name__ for model in state.apps.get_models()] == ["Egg"]
