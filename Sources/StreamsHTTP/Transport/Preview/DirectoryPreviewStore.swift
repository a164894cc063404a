/// A store that is a directory: the asset `api.example.com/3/movies` is the file of that path below it, with any
/// extension or none.
///
/// The extension says what the asset is: `movies.json` is JSON, `movies.png` an image. Where there are several, the
/// first in the alphabet counts. Nothing outside of the directory is ever read: names with a part `.` or `..` are no
/// assets, nor is what a symbolic link leads out to.
public struct DirectoryPreviewStore: PreviewStore {
    private let path: String

    /// - Parameter path: The directory's path.
    public init(path: String) {
        self.path = path
    }

    public func asset(named name: String) throws -> PreviewAsset? {
        let parts = name.split(separator: "/")
        guard let last = parts.last, parts.allSatisfy({ $0 != "." && $0 != ".." && !$0.utf8.contains(0) }) else {
            return nil
        }
        let folder = ([path[...]] + parts.dropLast()).joined(separator: "/")
        guard let names = try? Folder.names(in: folder),
            let file = names.first(where: { $0 == last }) ?? names.first(where: { $0.hasStem(last) }),
            let found = contained("\(folder)/\(file)")
        else { return nil }
        return PreviewAsset(try Folder.contents(of: found), contentType: file.mediaType)
    }

    /// The path of a regular file without links, where it is inside of the directory.
    private func contained(_ file: String) -> String? {
        guard let root = Folder.resolved(path), let found = Folder.resolved(file) else { return nil }
        guard found.hasPrefix(root.hasSuffix("/") ? root : root + "/") else { return nil }
        return Folder.isFile(found) ? found : nil
    }
}

extension String {
    /// Whether this is a file's name with one extension.
    fileprivate func hasStem(_ stem: Substring) -> Bool {
        guard let dot = lastIndex(of: ".") else { return false }
        return self[..<dot] == stem
    }

    /// What a file of this name is.
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
