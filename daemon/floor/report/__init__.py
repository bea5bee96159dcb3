"""What a shift was like: its figures, as a page, a sheet, a file to print, and in the terminal."""
