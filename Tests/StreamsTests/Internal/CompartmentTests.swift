import Testing

@testable import Streams

@Suite struct CompartmentTests {
    @Test func itHoldsWhateverAlignmentThatHas() {
        let compartment = Compartment(SIMD16<Double>(repeating: 1.5))
        let place = compartment.contents(as: SIMD16<Double>.self)
        #expect(UInt(bitPattern: place) % UInt(MemoryLayout<SIMD16<Double>>.alignment) == 0)
        #expect(place.pointee.sum() == 24)
        let empty = Compartment(())
        #expect(empty.contents(as: Void.self).pointee == ())
    }

    @Test func itLetsGoOfWhatItHolds() {
        var weak = Weak<Keepsake>()
        do {
            let keepsake = Keepsake()
            weak.object = keepsake
            let compartment = Compartment(keepsake)
            #expect(compartment.contents(as: Keepsake.self).pointee === weak.object)
        }
        #expect(weak.object == nil)
    }
}
