"""The exceptions of services, the answers of permissions and checked invariants, which every app uses."""
