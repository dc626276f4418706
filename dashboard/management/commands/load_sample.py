"""Loads the sample projects and prints how to sign in."""

from argparse import ArgumentParser
from itertools import groupby
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from dashboard.queries.sample import FILL, samples_to_fill
from dashboard.services import add_sample_model, finish_jobs, load_kinds, load_sample
from jobs.hooks import dispatch

SAMPLE = Path(__file__).resolve().parents[3] / "sample"


class Command(BaseCommand):
    """Loads small projects with items in every state, and one account to sign in with for each role.

    Loading the sample again has no further effect.
    """

    help = "Loads the sample projects, one in Chinese and one in English, and prints how to sign in."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the options for new passwords, the third project, a background job and a model server."""
        parser.add_argument(
            "--new-passwords", action="store_true", help="give the sample's people new passwords"
        )
        parser.add_argument(
            "--kinds", action="store_true", help="load a third project, with all other kinds of item"
        )
        parser.add_argument(
            "--in-background",
            action="store_true",
            help="load what a first look needs, and let a worker of the site do the rest, as make demo does",
        )
        parser.add_argument(
            "--model-url",
            metavar="URL",
            help="let the English project ask the small model that is served there, as make demo-llm does",
        )

    def handle(
        self,
        *args: Any,
        new_passwords: bool,
        kinds: bool,
        in_background: bool,
        model_url: str | None,
        **options: Any,
    ) -> None:
        """Load the sample, and print each person, with the password if it is new."""
        people = load_sample(new_passwords=new_passwords)
        self.stdout.write("\nThe sample. Sign in as")
        for name, members in groupby(people, key=lambda person: person.project):
            self.stdout.write(f"\n{name}")
            for person in members:
                known = person.password or "(shown when it was made; --new-passwords makes another)"
                self.stdout.write(f"  {person.username:<12} password  {known}  {person.name}")
        if kinds:
            self.stdout.write(f"\n{load_kinds()}: of all these people, with the same passwords.")
        if model_url:
            endpoint = add_sample_model(folder=SAMPLE, base_url=model_url)
            self.stdout.write(f"\nSmall Fables can ask {endpoint.model} at {model_url}, without key or net.")
        for project in samples_to_fill():
            self.stdout.write(f"\n{project}: reviews, releases, simulated answers and their figures ...")
            if in_background:
                dispatch(FILL, project.pk)
            else:
                finish_jobs(FILL, project.pk)
        if in_background:
            self.stdout.write(
                "A worker fills them in the next minutes; their first pages show how far it is."
            )
        self.stdout.write("")
