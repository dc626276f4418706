"""The manifests of Kubernetes: valid, and as strict as docker-compose.yml."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Any, Final

import kubernetes_validate
import pytest
import yaml

from config import settings
from tests.architecture import BASE
from tests.config.deployment import MODEL_KEYS, ONLY, PROCESSES, SECRETS, known_to

FOLDER: Final = BASE / "deploy" / "kubernetes"
FILES: Final = sorted(FOLDER.glob("*.yaml"))


def _documents(path: Path) -> list[dict[str, Any]]:
    return [one for one in yaml.safe_load_all(path.read_text(encoding="utf-8")) if one]


BASE_LAYER: Final[dict[str, Any]] = _documents(FOLDER / "kustomization.yaml")[0]
OBJECTS: Final = {
    f"{one['kind']}/{one['metadata']['name']}": one
    for path in FILES
    if path.name != "kustomization.yaml"
    for one in _documents(path)
}
RUNNERS: Final = {
    one["metadata"]["name"]: one for one in OBJECTS.values() if one["kind"] in ("Deployment", "Job")
}
PODS: Final[dict[str, dict[str, Any]]] = {
    name: one["spec"]["template"]["spec"] for name, one in RUNNERS.items()
}
CONTAINERS: Final[dict[str, dict[str, Any]]] = {
    f"{name}/{container['name']}": container
    for name, pod in PODS.items()
    for container in (*pod.get("initContainers", ()), *pod["containers"])
}
STOP_SECONDS: Final = int(OBJECTS["ConfigMap/parable-settings"]["data"]["PARABLE_STOP_SECONDS"])


@pytest.mark.parametrize("name", OBJECTS)
def test_it_is_valid(name: str) -> None:
    kubernetes_validate.validate(OBJECTS[name], "1.34", strict=True)


def test_it_applies_every_file_but_the_secrets() -> None:
    left = {path.name for path in FILES} - set(BASE_LAYER["resources"])
    assert left == {"kustomization.yaml", "secrets.yaml"}
    (image,) = BASE_LAYER["images"]
    assert image["newTag"] not in ("", "latest")


def test_it_runs_every_process() -> None:
    assert set(RUNNERS) == set(PROCESSES)
    run = {name: CONTAINERS[f"{name}/{name}"]["args"] for name in PROCESSES}
    assert run.pop("migrate") == ["migrate"]
    assert run == {name: ["process", name] for name in run}


WAITING: Final = tuple(name for name in CONTAINERS if name.endswith("/migrated"))
PROBES: Final = {
    "web/web": {"startupProbe": "/livez", "livenessProbe": "/livez", "readinessProbe": "/readyz"},
    **{
        f"{name}/{name}": {"livenessProbe": ["python", "manage.py", "healthy", name]}
        for name in ("worker", "llm-worker", "beat")
    },
}
POD_RULES: Final[dict[str, Callable[[str, dict[str, Any]], bool]]] = {
    "is not root": lambda _name, pod: (
        pod["securityContext"]["runAsNonRoot"] is True
        and pod["securityContext"]["runAsUser"] == pod["securityContext"]["runAsGroup"] == 10001
    ),
    "has a filter of system calls": lambda _name, pod: (
        pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    ),
    "has no account of the cluster": lambda _name, pod: pod["automountServiceAccountToken"] is False,
    "shares nothing with its node": lambda _name, pod: (
        not {"hostNetwork", "hostPID", "hostIPC"} & set(pod)
        and all("hostPath" not in volume for volume in pod["volumes"])
    ),
    "has time to stop": lambda name, pod: (
        name == "migrate"
        or pod["terminationGracePeriodSeconds"] >= (STOP_SECONDS + 30 if "worker" in name else 25)
    ),
    "waits for the tables": lambda name, pod: (
        name in ("migrate", "beat")
        or [one["args"] for one in pod["initContainers"]] == [["migrate", "--check"]]
    ),
    "has limits of temporary files": lambda _name, pod: all(
        "sizeLimit" in volume["emptyDir"] for volume in pod["volumes"] if "emptyDir" in volume
    ),
}
CONTAINER_RULES: Final[dict[str, Callable[[str, dict[str, Any]], bool]]] = {
    "has a read-only root and no rights": lambda _name, one: (
        one["securityContext"]
        == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
    ),
    "writes to two places": lambda _name, one: (
        [mount["mountPath"] for mount in one["volumeMounts"]] == ["/data", "/tmp"]  # noqa: S108
    ),
    "says what it takes": lambda _name, one: (
        set(one["resources"]["requests"]) == {"cpu", "memory"} and "memory" in one["resources"]["limits"]
    ),
    "is the image of the base": lambda _name, one: one["image"] == BASE_LAYER["images"][0]["name"],
    "opens a port if it is web": lambda name, one: ("ports" in one) == (name == "web/web"),
    "says whether it is well": lambda name, _one: name in PROBES or name in ("migrate/migrate", *WAITING),
}


@pytest.mark.parametrize("rule", POD_RULES)
@pytest.mark.parametrize("name", PODS)
def test_each_pod(name: str, rule: str) -> None:
    assert POD_RULES[rule](name, PODS[name])


@pytest.mark.parametrize("rule", CONTAINER_RULES)
@pytest.mark.parametrize("name", CONTAINERS)
def test_each_container(name: str, rule: str) -> None:
    assert CONTAINER_RULES[rule](name, CONTAINERS[name])


@pytest.mark.parametrize("name", PROBES)
def test_it_asks_each_process_whether_it_is_well(name: str) -> None:
    found = {key: value for key, value in CONTAINERS[name].items() if key.endswith("Probe")}
    asked = {
        key: value["httpGet"]["path"] if "httpGet" in value else value["exec"]["command"]
        for key, value in found.items()
    }
    assert asked == PROBES[name]


def _given(container: dict[str, Any]) -> set[str]:
    """The names of the settings, and of the secrets beside them, that a container is given."""
    sources = [
        OBJECTS[f"ConfigMap/{one['configMapRef']['name']}"]["data"]
        if "configMapRef" in one
        else OBJECTS[f"Secret/{one['secretRef']['name']}"]["stringData"] or {"PARABLE_LLM_KEY_*": ""}
        for one in container["envFrom"]
    ]
    return set(chain.from_iterable(sources))


@pytest.mark.parametrize("name", PROCESSES)
def test_it_gives_each_process_the_secrets_that_it_reads_and_no_other(name: str) -> None:
    given = _given(CONTAINERS[f"{name}/{name}"])
    wanted = known_to(name) & SECRETS | ({"PARABLE_LLM_KEY_*"} if name in MODEL_KEYS else set())
    assert given & (SECRETS | {"PARABLE_LLM_KEY_*"}) == wanted
    assert given - {"PARABLE_LLM_KEY_*"} <= settings.env.declared


def test_it_keeps_secrets_out_of_the_settings_and_values_out_of_the_repository() -> None:
    assert not SECRETS & set(OBJECTS["ConfigMap/parable-settings"]["data"])
    secrets = [one["stringData"] for one in OBJECTS.values() if one["kind"] == "Secret"]
    assert set(chain.from_iterable(secrets)) == SECRETS
    assert not any(chain.from_iterable(one.values() for one in secrets))
    assert set(ONLY) & SECRETS <= set(chain.from_iterable(secrets))


def test_there_is_one_beat_at_any_time() -> None:
    spec = RUNNERS["beat"]["spec"]
    assert (spec["replicas"], spec["strategy"]) == (1, {"type": "Recreate"})
    assert "PodDisruptionBudget/beat" not in OBJECTS


@pytest.mark.parametrize("name", ["web", "worker", "llm-worker"])
def test_the_others_are_two_and_one_may_go(name: str) -> None:
    assert RUNNERS[name]["spec"]["replicas"] == 2
    budget = OBJECTS[f"PodDisruptionBudget/{name}"]["spec"]
    labels = RUNNERS[name]["spec"]["template"]["metadata"]["labels"]
    assert budget["selector"]["matchLabels"].items() <= labels.items()
    assert budget["maxUnavailable"] == 1


def test_selectors_find_their_pods_and_objects_their_names() -> None:
    for name, one in RUNNERS.items():
        if one["kind"] == "Deployment":
            labels = one["spec"]["template"]["metadata"]["labels"]
            assert one["spec"]["selector"]["matchLabels"] == labels, name
    service = OBJECTS["Service/web"]["spec"]["selector"]
    assert service == RUNNERS["web"]["spec"]["template"]["metadata"]["labels"]
    assert OBJECTS["HorizontalPodAutoscaler/web"]["spec"]["scaleTargetRef"]["name"] in RUNNERS
    claims = {
        volume["persistentVolumeClaim"]["claimName"]
        for pod in PODS.values()
        for volume in pod["volumes"]
        if "persistentVolumeClaim" in volume
    }
    assert {f"PersistentVolumeClaim/{claim}" for claim in claims} <= set(OBJECTS)


def test_the_network_lets_in_the_ingress_alone() -> None:
    policies = {
        one["metadata"]["name"]: one["spec"] for one in OBJECTS.values() if one["kind"] == "NetworkPolicy"
    }
    assert policies["nothing"] == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}
    assert [name for name, spec in policies.items() if "ingress" in spec] == ["web-from-ingress"]
    (world,) = policies["world"]["podSelector"]["matchExpressions"]
    assert "beat" not in world["values"]
    assert "migrate" not in world["values"]
    assert {"10.0.0.0/8", "169.254.0.0/16"} <= set(
        policies["world"]["egress"][0]["to"][0]["ipBlock"]["except"]
    )
