print("streams")
