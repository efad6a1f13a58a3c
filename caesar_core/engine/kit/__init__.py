"""The conformance kit: a candidate agent is put through the contract, scenario by scenario."""
