"""The selection of items for a release: all verified items, or those that match the recipe."""

from django.db.models import Exists, OuterRef, QuerySet, Subquery

from annotation.models import Item, State
from projects.models import Project
from release.assembly.recipe import Recipe
from review.models import Review, Stage


def chosen_items(project: Project, recipe: Recipe) -> QuerySet[Item]:
    """Return the verified items that match the recipe."""
    found = Item.objects.filter(project=project, state=State.VERIFIED)
    if recipe.without:
        found = found.exclude(pk__in=recipe.without)
    if recipe.tasks:
        found = found.filter(task__in=recipe.tasks)
    if recipe.styles:
        found = found.filter(style__in=recipe.styles)
    return _rated_at_least(found, recipe.min_rating) if recipe.min_rating else found


def _rated_at_least(items: QuerySet[Item], least: int) -> QuerySet[Item]:
    """Return the items whose last rated revision has no rating below `least`; unrated items are omitted."""
    ratings = Review.objects.filter(
        stage=Stage.CROSS_CHECK, rating__isnull=False, judged_at__isnull=False, late_at=None
    )
    last = ratings.filter(item=OuterRef("pk")).order_by("-revision").values("revision")[:1]
    of_last = ratings.filter(revision=OuterRef("last_rated"))
    return items.annotate(last_rated=Subquery(last)).filter(
        Exists(of_last), ~Exists(of_last.filter(rating__lt=least))
    )
