import CStreams

extension UnsafeMutablePointer<ZlibStream> {
    /// Calls a function of zlib once.
    ///
    /// - Parameters:
    ///   - input: The bytes to process, from whose start the processed ones are removed.
    ///   - output: The memory for the result.
    ///   - count: The number of bytes at the start of the output that are filled.
    ///   - function: zlib's function, for this state and a kind of flush.
    ///   - flush: The kind of flush.
    /// - Returns: zlib's result.
    func process(
        _ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, _ count: inout Int,
        _ function: (UnsafeMutablePointer<ZlibStream>, CInt) -> CInt, _ flush: ZlibFlush
    ) -> CInt {
        let free = UnsafeMutableRawBufferPointer(rebasing: output[count...])
        let (inputCount, outputCount) = (UInt32(clamping: input.count), UInt32(clamping: free.count))
        pointee.input = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        pointee.inputCount = inputCount
        pointee.output = free.baseAddress?.assumingMemoryBound(to: UInt8.self)
        pointee.outputCount = outputCount
        let code = function(self, CInt(flush.rawValue))
        input = UnsafeRawBufferPointer(rebasing: input.dropFirst(Int(inputCount - pointee.inputCount)))
        count += Int(outputCount - pointee.outputCount)
        return code
    }
}
