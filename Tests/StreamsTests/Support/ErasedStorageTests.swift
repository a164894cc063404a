import Testing

@testable import Streams

@Suite struct ErasedStorageTests {
    @Test func alignsItsContents() {
        let storage = ErasedStorage(SIMD16<Double>(repeating: 1.5))
        let pointer = storage.contents(as: SIMD16<Double>.self)
        #expect(UInt(bitPattern: pointer) % UInt(MemoryLayout<SIMD16<Double>>.alignment) == 0)
        #expect(pointer.pointee.sum() == 24)
        let empty = ErasedStorage(())
        #expect(empty.contents(as: Void.self).pointee == ())
    }

    @Test func releasesItsContents() {
        final class Held {}
        weak var released: Held?
        do {
            let held = Held()
            released = held
            let storage = ErasedStorage(held)
            #expect(storage.contents(as: Held.self).pointee === released)
        }
        #expect(released == nil)
    }
}
