"""Routes of the JSON API of this app, below /api/v1/."""

from django.urls import URLPattern, path

from jobs.api import budget, endpoint, job

_ENDPOINT = "projects/<slug:slug>/endpoints/<int:pk>"
_JOB = "projects/<slug:slug>/jobs/<int:pk>"

urlpatterns: list[URLPattern] = [
    path("jobs/<int:pk>/", job.job, name="api_job"),
    path("projects/<slug:slug>/jobs/", job.jobs, name="api_jobs"),
    path(f"{_JOB}/pause/", job.pause, name="api_job_pause"),
    path(f"{_JOB}/resume/", job.resume, name="api_job_resume"),
    path(f"{_JOB}/cancel/", job.cancel, name="api_job_cancel"),
    path(f"{_JOB}/retry/", job.retry, name="api_job_retry"),
    path("projects/<slug:slug>/endpoints/", endpoint.endpoints, name="api_endpoints"),
    path(f"{_ENDPOINT}/", endpoint.endpoint, name="api_endpoint"),
    path(f"{_ENDPOINT}/key/", endpoint.key, name="api_endpoint_key"),
    path(f"{_ENDPOINT}/test/", endpoint.test, name="api_endpoint_test"),
    path(f"{_ENDPOINT}/retire/", endpoint.retire, name="api_endpoint_retire"),
    path(f"{_ENDPOINT}/restore/", endpoint.restore, name="api_endpoint_restore"),
    path("projects/<slug:slug>/budget/", budget.budget, name="api_budget"),
]
