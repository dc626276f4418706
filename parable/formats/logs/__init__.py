"""Logs of evaluation tools; a module that defines `LOG` is registered without further code."""
