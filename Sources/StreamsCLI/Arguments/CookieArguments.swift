import StreamsHTTP

/// The cookies of `-b`, `-c` and `-j`, but those that `-b` gives itself.
struct CookieArguments {
    /// The files to read, of which `-` is standard input. A missing one is empty.
    private var paths: [String] = []
    /// The file to write at the end; `-` is standard output.
    var jarPath: String?
    /// Whether the cookies of sessions are not taken from the files.
    var dropsSessions = false
    /// The store of the cookies; `nil` if none are kept.
    private(set) var jar: CookieJar?

    /// Adds the value of `-b` that names a file. An empty name is no file, and keeps cookies.
    mutating func addFile(_ path: String) {
        paths.append(path)
    }

    /// Whether cookies are kept.
    var areKept: Bool { jarPath != nil || !paths.isEmpty }

    /// Adds the files of another request. Requests that keep cookies have them in common, as with curl.
    mutating func add(_ other: CookieArguments) throws(UsageError) {
        paths += other.paths
        if let jarPath, let path = other.jarPath, path != jarPath {
            throw UsageError("-c has one file for all requests")
        }
        jarPath = jarPath ?? other.jarPath
        dropsSessions = dropsSessions || other.dropsSessions
    }

    /// Reads the files.
    ///
    /// - Parameter url: The URL of the request, whose host counts as the sender of the heads in a file.
    mutating func open(for url: String) throws(UsageError) {
        guard areKept else {
            if dropsSessions { throw UsageError("-j needs a file of cookies, which -b names") }
            return
        }
        let jar = try makeJar()
        for path in paths where !path.isEmpty && path != sharedPath { try Self.read(path, url, into: jar) }
        if dropsSessions { jar.removeAll { $0.expires == nil } }
        self.jar = jar
    }

    /// Writes the file of `-c`.
    func save() throws(SystemError) {
        guard let jar, let jarPath else { return }
        if let output = try stream(at: jarPath) { return try output.write(jar.data) }
        do {
            if sharedPath == nil {
                try Folder.replaceFile(at: jarPath, with: jar.data, isDurable: true)
            } else {
                try jar.synchronize()
            }
        } catch {
            throw SystemError(action: "cannot write \(jarPath)", code: (error as? FileError)?.code ?? EIO)
        }
    }

    /// Returns the destination of `-c` if it is not a file that can be replaced; `nil` if it is one.
    private func stream(at path: String) throws(SystemError) -> StreamOutput? {
        guard path != "-" else { return StreamOutput(descriptor: .standardOutput) }
        return Self.isReplaceable(path) ? nil : try StreamOutput(opening: path)
    }

    /// Whether a path is that of a regular file, or of none: devices and FIFOs, such as `/dev/null`, are not replaced.
    private static func isReplaceable(_ path: String) -> Bool {
        path != "-" && (Folder.isFile(path) || access(path, F_OK) != 0)
    }

    /// The file that is both read and written, and so can be shared with other runs.
    private var sharedPath: String? {
        jarPath.flatMap { paths.contains($0) && Self.isReplaceable($0) ? $0 : nil }
    }

    private func makeJar() throws(UsageError) -> CookieJar {
        guard let sharedPath else { return CookieJar() }
        do {
            return try CookieJar(openFileAt: sharedPath)
        } catch {
            throw Self.unreadable(sharedPath, error)
        }
    }

    private static func read(_ path: String, _ url: String, into jar: CookieJar) throws(UsageError) {
        do {
            let data = try ContentSource(path: path).read()
            guard jar.read(data, from: URL(string: url)) else { throw FileError(path: path, code: EINVAL) }
        } catch let error as SystemError where error.code == ENOENT {
            // As with curl, whose users name the file of `-c` before it is there.
        } catch let error as SystemError {
            throw UsageError(error.description)
        } catch {
            throw unreadable(path, error)
        }
    }

    private static func unreadable(_ path: String, _ error: any Error) -> UsageError {
        let code = (error as? FileError)?.code
        let reason = code == EINVAL ? "it has neither Netscape's format nor heads of responses" : "\(error)"
        return UsageError("cannot read cookies from \(path.quoted): \(reason)")
    }
}

/// Sends the cookies of `-b` beside those of the jar, to the origin that they are for.
struct CookieAddition: Interceptor {
    let jar: CookieJar
    /// The field of `-b`.
    let field: FieldText

    func adapt(_ request: TransportRequest, _ context: HTTPRequest.Context) -> TransportRequest {
        guard request.headers.text(for: "Cookie") == field else { return request }
        var request = request
        let pairs = jar.cookies(for: request.url).map(\.pair) + [field]
        request.headers.set(HTTPHeaders.Field(name: "Cookie", text: pairs.joined(separator: "; ")))
        return request
    }
}
