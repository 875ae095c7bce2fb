"""What tables and pages are drawn with: lines, hands and actions of a decision, cards, colours of actions."""
