import Testing

@testable import Streams

@Suite struct CompartmentTests {
    @Test func itHoldsWhateverAlignmentThatHas() {
        let compartment = ErasedStorage(SIMD16<Double>(repeating: 1.5))
        let place = compartment.contents(as: SIMD16<Double>.self)
        #expect(UInt(bitPattern: place) % UInt(MemoryLayout<SIMD16<Double>>.alignment) == 0)
        #expect(place.pointee.sum() == 24)
        let empty = ErasedStorage(())
        #expect(empty.contents(as: Void.self).pointee == ())
    }

    @Test func itLetsGoOfWhatItHolds() {
        final class Held {}
        weak var kept: Held?
        do {
            let held = Held()
            kept = held
            let compartment = ErasedStorage(held)
            #expect(compartment.contents(as: Held.self).pointee === kept)
        }
        #expect(kept == nil)
    }
}
