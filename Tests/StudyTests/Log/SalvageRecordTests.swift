// SPDX-License-Identifier: Apache-2.0
import Foundation
import Study
import Testing

@Suite struct SalvageRecordTests {
    private static let record = SalvageRecord(cause: "zeros", kept: 7, lost: [[3, 5], [9, 9], [12]])

    /// Both ends of a range are lost; what is no range names nothing.
    @Test(arguments: [
        (2, false), (3, true), (4, true), (5, true), (6, false), (8, false), (9, true), (10, false), (12, false),
    ])
    func aRowIsLostFromTheFirstToTheLastOfItsRange(_ sequence: Int64, _ isLost: Bool) {
        #expect(Self.record.isLost(sequence) == isLost)
    }

    @Test func itCountsAndNamesWhatIsLost() {
        #expect(Self.record.lostRows == 4)
        #expect(
            Self.record.words == "the store was damaged (zeros); 7 rows of the log were kept, 4 are lost: 3–5, 9")
        let none = SalvageRecord(cause: "zeros", kept: 7)
        #expect(none.lostRows == 0 && !none.isLost(0))
        #expect(none.words == "the store was damaged (zeros); 7 rows of the log were kept")
    }

    @Test(arguments: [
        (false, "the store was damaged (zeros); 7 rows of the log were kept; the damaged files are kept in damaged/1"),
        (true, "the store zeros; 7 rows of the log were kept; its files are kept in damaged/1, for that version"),
    ]) func aStoreOfAnotherVersionIsNotCalledDamaged(_ isOther: Bool, _ words: String) throws {
        let record = SalvageRecord(cause: "zeros", setAside: "damaged/1", kept: 7, isOtherVersion: isOther)
        #expect(record.words == words)
        let again = try JSONDecoder().decode(SalvageRecord.self, from: JSONEncoder().encode(record))
        #expect(again == record && again.isOtherVersion == isOther)
    }

    /// Absent in rows of older versions.
    @Test(arguments: [nil, false, true] as [Bool?]) func aSecretIsLostOnlyWhereItIsSaid(isSaid: Bool?) throws {
        let record = isSaid.map { SalvageRecord(cause: "zeros", isSecretLost: $0) } ?? SalvageRecord(cause: "zeros")
        #expect(record.isSecretLost == (isSaid == true))
        let again = try JSONDecoder().decode(SalvageRecord.self, from: JSONEncoder().encode(record))
        #expect(again == record && again.isSecretLost == record.isSecretLost)
    }
}
