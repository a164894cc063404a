extension PreviewStore {
    /// Returns a store that reads a directory. The asset `api.example.com/3/movies` is the file at that path, with any
    /// extension or none.
    ///
    /// The extension is the asset's type: `movies.json` is JSON, `movies.png` an image. Of several such files, the
    /// first in the alphabet counts. The store reads nothing outside of the directory: it ignores names with a segment
    /// `.` or `..`, and symbolic links that lead out.
    public static func directory(_ path: String) -> PreviewStore {
        let directory = PreviewDirectory(path: path)
        return PreviewStore { try directory.asset(named: $0) }
    }
}

/// A directory of assets.
private struct PreviewDirectory {
    let path: String

    func asset(named name: String) throws -> PreviewStore.Asset? {
        try path.checkPath()
        let parts = name.split(separator: "/")
        guard let last = parts.last, parts.allSatisfy({ $0 != "." && $0 != ".." && !$0.utf8.contains(0) }) else {
            return nil
        }
        let folder = ([path[...]] + parts.dropLast()).joined(separator: "/")
        guard let names = try? Folder.names(in: folder),
            let file = names.first(where: { $0 == last }) ?? names.first(where: { $0.hasStem(last) }),
            let found = contained("\(folder)/\(file)")
        else { return nil }
        return PreviewStore.Asset(try Folder.contents(of: found), contentType: file.mediaType)
    }

    /// Returns the path of a regular file without links; `nil` if it is outside of the directory.
    private func contained(_ file: String) -> String? {
        guard let root = Folder.resolved(path), let found = Folder.resolved(file) else { return nil }
        guard found.hasPrefix(root.hasSuffix("/") ? root : root + "/") else { return nil }
        return Folder.isFile(found) ? found : nil
    }
}

extension String {
    /// Returns whether this is a stem followed by one extension.
    fileprivate func hasStem(_ stem: Substring) -> Bool {
        guard let dot = lastIndex(of: ".") else { return false }
        return self[..<dot] == stem
    }

    /// The media type of a file with this name.
    fileprivate var mediaType: String? {
        guard let dot = lastIndex(of: ".") else { return nil }
        return switch self[index(after: dot)...].lowercased() {
        case "json": "application/json"
        case "txt": "text/plain; charset=utf-8"
        case "html": "text/html; charset=utf-8"
        case "csv": "text/csv; charset=utf-8"
        case "xml": "application/xml"
        case "plist": "application/x-plist"
        case "pdf": "application/pdf"
        case "png": "image/png"
        case "jpg", "jpeg": "image/jpeg"
        case "gif": "image/gif"
        case "webp": "image/webp"
        case "heic": "image/heic"
        case "svg": "image/svg+xml"
        default: nil
        }
    }
}
