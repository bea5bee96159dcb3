"""Device knowledge: what sensors say over the wire, with no knowledge of poker or of the daemon."""
