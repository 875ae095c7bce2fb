"""Elements of tables and pages: charts of lines, of hands and actions in text and HTML, and cards."""
