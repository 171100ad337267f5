"""The web tests on FastAPI and uvicorn: benchmarks/web/techempower/contract.md."""

from web.techempower.python.domain.uvicorn_server import serve_on_uvicorn
from web.techempower.python.fastapi.application import application

if __name__ == "__main__":
    serve_on_uvicorn("fastapi", application)
