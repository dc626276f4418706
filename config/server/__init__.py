"""The web server of a site: gunicorn's event loop in front of a fixed number of request threads.

    connection.py   one connection: time limits for headers, idleness and slow readers
    worker.py       gunicorn's worker process: accepts connections, limits their number, stops gently
    front.py        one request: health, body limits, a request thread, the response
    bodies.py       receiving a body: limited in size, with a minimum rate, in a temporary file
    limits.py       how large a body a URL accepts from a user, and whether it hashes a password
    turns.py        which of the waiting requests with a password is next
    responses.py    running the WSGI application in a thread, and passing its response to the event loop

Only a request that has arrived completely takes a thread, and a thread is free again when the response is
written, not when it is read. So slow clients occupy a connection and a temporary file, but no thread.
"""
