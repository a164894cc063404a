extension Line {
    /// Waits until the gate opens.
    func hold(at gate: Gate) throws(Break) {
        if let signal = try signal(of: gate) { try pause(until: nil, or: [signal]) }
    }

    /// Returns the signal that a closed gate raises when it opens; `nil` for an open one.
    func signal(of gate: Gate) throws(Break) -> Signal? {
        switch gate.passage() {
        case .free: nil
        case .impossible: throw .stopped
        case .wait(let signal): signal
        }
    }
}
