extension String {
    /// This name, proposed by a URL or a server, as the name of a file in a folder; `nil` if it is none.
    ///
    /// A peer must not choose a file that programs read unasked, such as `.bashrc`, one that a download has beside its
    /// target, or a text that a terminal obeys or shows in another order. So the name differs:
    ///
    /// - Control characters, and those of the direction of text, are percent-encoded, as by wget.
    /// - An underscore replaces a leading dot.
    /// - An underscore follows the endings of ``PartialPaths``.
    package var asRemoteFilename: String? {
        guard !["", ".", ".."].contains(self), !utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == 0 }) else {
            return nil
        }
        var name = unicodeScalars.reduce(into: "") { name, scalar in
            name += scalar.needsEscaping ? String(scalar).percentEncoded : String(scalar)
        }
        if name.utf8.first == UInt8(ascii: ".") { name = "_\(Substring(name.unicodeScalars.dropFirst()))" }
        return PartialPaths.isReserved(name) ? "\(name)_" : name
    }
}
