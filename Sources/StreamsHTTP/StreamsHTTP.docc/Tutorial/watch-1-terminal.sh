swift run watch
