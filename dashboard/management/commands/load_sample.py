"""Loads the sample projects and prints how to sign in."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from dashboard.services import add_sample_model, load_sample

SAMPLE = Path(__file__).resolve().parents[3] / "sample"


class Command(BaseCommand):
    """Load two small projects in every state, with one person a role; twice is once."""

    help = "Loads the sample projects, one in Chinese and one in English, and prints how to sign in."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take what may be asked for besides."""
        parser.add_argument(
            "--new-passwords", action="store_true", help="give the sample's people new passwords"
        )
        parser.add_argument(
            "--model-url",
            metavar="URL",
            help="let the English project ask the small model that is served there, as make demo-llm does",
        )

    def handle(self, *args: Any, new_passwords: bool, model_url: str | None, **options: Any) -> None:
        """Load, and print each person with a password that is known only now."""
        guidelines = {
            language: (SAMPLE / f"guideline.{language}.md").read_text("utf-8") for language in ("zh", "en")
        }
        people = load_sample(folder=SAMPLE, guidelines=guidelines, new_passwords=new_passwords)
        self.stdout.write("\nThe sample: 小寓言集 and Small Fables. Sign in as\n")
        for person in people:
            known = person.password or "(shown when it was made; --new-passwords makes another)"
            self.stdout.write(f"  {person.role:<9} {person.username:<9} password  {known}")
        if model_url:
            endpoint = add_sample_model(folder=SAMPLE, base_url=model_url)
            self.stdout.write(f"\nSmall Fables can ask {endpoint.model} at {model_url}, without key or net.")
        self.stdout.write("")
