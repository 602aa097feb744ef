"""What the pages are built from: the only package code that imports streamlit."""
