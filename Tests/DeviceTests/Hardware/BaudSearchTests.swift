// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Testing

private let sentence = Array("$GPGLL,,,,,,V,N*64\r\n".utf8)
private let noise = (0..<400).map { UInt8(truncatingIfNeeded: $0 &* 197 ^ $0 >> 2) | 0x80 }

@Suite struct BaudSearchTests {
    @Test func theBoardsSpeedIsTriedFirstAndEachOnce() {
        #expect(BaudSearch(first: 38_400).all == [38_400, 9600, 115_200, 4800])
        #expect(BaudSearch(first: 57_600).all == [57_600, 9600, 38_400, 115_200, 4800])
    }

    @Test func twoRightChecksumsSettleIt() {
        var search = BaudSearch(first: 9600)
        #expect(search.process(sentence.span, at: at(0)) == .stay && !search.isSettled)
        #expect(search.process(Array(sentence.prefix(9)).span, at: at(1)) == .stay)
        #expect(search.process(Array(sentence.dropFirst(9)).span, at: at(1.1)) == .found)
        #expect(search.isSettled && search.baud == 9600 && search.due == nil)
    }

    @Test func noiseForThreeSecondsLeadsToTheNextSpeedRoundAndRound() {
        var search = BaudSearch(first: 9600)
        var speeds: [Int] = []
        var time = 0.0
        for _ in 0..<6 {
            #expect(search.process(noise.span, at: at(time)) == .stay)
            #expect(search.due == at(time + 3))
            #expect(search.tick(at: at(time + 2.9)) == .stay)
            guard case .change(let next) = search.tick(at: at(time + 3)) else { break }
            speeds.append(next)
            time += 4
        }
        #expect(speeds == [38_400, 115_200, 4800, 9600, 38_400, 115_200] && search.failures == 6)
    }

    /// One sentence every five seconds is rare, but a receiver; a silent line is left alone.
    @Test func aSlowReceiverIsWaitedForAndASilentLineNeedsNoTime() {
        var search = BaudSearch(first: 4800)
        #expect(search.due == nil && search.tick(at: at(1e6)) == .stay)
        #expect(search.process(sentence.span, at: at(0)) == .stay)
        #expect(search.tick(at: at(4)) == .stay)
        #expect(search.process(sentence.span, at: at(5)) == .found)
    }

    @Test func wrongChecksumsAndTextWithoutOneProveNothing() {
        var search = BaudSearch(first: 9600)
        let wrong = Array("$GPGLL,,,,,,V,N*65\r\n$STI,IC,error=4\r\n$*00\r\n$A*41\r\n".utf8)
        for second in 0..<3 { #expect(search.process((wrong + wrong).span, at: at(Double(second))) == .stay) }
        #expect(search.process(wrong.span, at: at(3)) == .change(to: 38_400))
    }

    @Test func aReceiverThatIsNoLongerUnderstoodIsSearchedForAgain() {
        var search = BaudSearch(first: 9600)
        _ = search.process((sentence + sentence).span, at: at(0))
        // A burst of binary data, and a single broken sentence, are no reason.
        #expect(search.process((noise + noise).span, at: at(1)) == .stay)
        #expect(search.process(sentence.span, at: at(2)) == .stay)
        #expect(search.process(noise.span, at: at(4)) == .stay)
        #expect(search.process(noise.span, at: at(8)) == .lost(tryNext: 38_400) && !search.isSettled)
        #expect(search.process((sentence + sentence).span, at: at(9)) == .found)
    }
}
