"""The only modules that touch the world: ports, journal, MQTT, settings, logs."""
