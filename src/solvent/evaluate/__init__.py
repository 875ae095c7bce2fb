"""What is measured of an agent: styles, local best response, head to head, behaviour."""
