"""Poses three items of a release in HELM's way, asks a model, and writes what a run of HELM writes.

Run with the Python of an environment that has crfm-helm: make_helm_logs.py FOLDER OUT URL MODEL, where URL is
that of `python -m parable.llm.stub`. HELM's own adapter, client and metric do the work; what its runner wants
besides (tokenizers, a data base of requests) is replaced, as it has no say in what is written.
"""

import json
import sys
from dataclasses import replace
from pathlib import Path
from unittest.mock import MagicMock

from helm.benchmark.adaptation.adapters.multiple_choice_joint_adapter import MultipleChoiceJointAdapter
from helm.benchmark.adaptation.common_adapter_specs import get_multiple_choice_joint_adapter_spec
from helm.benchmark.adaptation.scenario_state import ScenarioState
from helm.benchmark.metrics.basic_metrics import BasicGenerationMetric
from helm.benchmark.metrics.metric_service import MetricService
from helm.benchmark.model_deployment_registry import ClientSpec, ModelDeployment, register_model_deployment
from helm.benchmark.model_metadata_registry import get_unknown_model_metadata, register_model_metadata
from helm.benchmark.scenarios.scenario import CORRECT_TAG, TEST_SPLIT, Input, Instance, Output, Reference
from helm.clients.openai_client import OpenAIClient
from helm.common.cache import BlackHoleCacheConfig
from helm.common.general import asdict_without_nones


def main(folder: str, out: str, url: str, model: str) -> None:
    rows = (Path(folder) / "test" / "commonsense.jsonl").read_text(encoding="utf-8").splitlines()[:3]
    instances = [_instance(json.loads(row)) for row in rows]
    spec = replace(
        get_multiple_choice_joint_adapter_spec(
            instructions="", input_noun="Question", output_noun="Answer", max_train_instances=0, max_tokens=5
        ),
        model=model,
        model_deployment=model,
        num_train_trials=1,
    )
    register_model_metadata(replace(get_unknown_model_metadata(model), tags=[]))
    register_model_deployment(ModelDeployment(name=model, client_spec=ClientSpec(class_name="none")))
    adapter = MultipleChoiceJointAdapter(spec, MagicMock())
    client = OpenAIClient(BlackHoleCacheConfig(), api_key="none", base_url=url)
    states = [
        replace(state, result=client.make_request(state.request)) for state in adapter.adapt(instances, 1)
    ]
    state = ScenarioState(adapter_spec=spec, request_states=states)
    metric = BasicGenerationMetric(names=["exact_match", "quasi_exact_match"])
    scored = metric.evaluate(state, MagicMock(spec=MetricService), str(out), 1)
    for name, what in (
        ("scenario_state", asdict_without_nones(state)),
        ("per_instance_stats", [*map(asdict_without_nones, scored.per_instance_stats)]),
    ):
        Path(out).mkdir(parents=True, exist_ok=True)
        (Path(out) / f"{name}.json").write_text(json.dumps(what, indent=2), encoding="utf-8")


def _instance(item):
    return Instance(
        Input(text=f"{item['story']}\n{item['question']}"),
        [
            Reference(Output(text=text), tags=[CORRECT_TAG] if place == item["answer"] else [])
            for place, text in enumerate(item["choices"])
        ],
        split=TEST_SPLIT,
        id=item["id"],
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
