"""The exceptions of services and the answers of permissions, which every app uses."""
