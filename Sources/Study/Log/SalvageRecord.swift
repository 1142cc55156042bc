// SPDX-License-Identifier: Apache-2.0

/// What became of a damaged store: `StudyEvent.salvaged` of the log that goes on or begins, written by the
/// store (`StoreOpening`, `OpenStore`) and shown by `studyd status`. The names of its properties are the log's
/// format.
package struct SalvageRecord: LoggedRecord {
    private var cause: String
    /// The folder with the damaged files, relative to the state folder; nil = the file was whole,
    /// and rows were missing in it.
    private var setAside: String?
    /// The log that goes on: see `LogHead.log`; nil = a new one begins here.
    package var log: String?
    /// Rows that were found whole.
    private var kept: Int64
    /// First and last numbers of rows that are lost, each range as two numbers, in order.
    package var lost: [[Int64]]
    /// It is unknown how far the log had gone: more may be lost after the last row that was found.
    package var isEndUnknown: Bool
    /// Requests that were found without the row that queued them. They are sent again, since it is
    /// unknown whether they had been sent.
    private var requeued: Int
    /// The key of the digests of requests is lost; nil = it is not.
    private var secretLost: Bool?
    /// Nothing was damaged: the store on the disk could not be used, and this log is in
    /// memory; nil = no.
    private var fileLeft: Bool?
    /// Nothing was damaged: the store has tables of another version, and `cause` says of which; nil = no.
    private var otherVersion: Bool?

    package init(
        cause: String, setAside: String? = nil, log: String? = nil, kept: Int64 = 0, lost: [[Int64]] = [],
        isEndUnknown: Bool = false, requeued: Int = 0, isSecretLost: Bool = false, leavesFile: Bool = false,
        isOtherVersion: Bool = false
    ) {
        fileLeft = leavesFile ? true : nil
        otherVersion = isOtherVersion ? true : nil
        secretLost = isSecretLost ? true : nil
        self.cause = cause
        self.setAside = setAside
        self.log = log
        self.kept = kept
        self.lost = lost
        self.isEndUnknown = isEndUnknown
        self.requeued = requeued
    }

    /// It is unknown whether requests that were queued before are unchanged.
    package var isSecretLost: Bool { secretLost ?? false }

    /// Another version wrote the store; nothing was damaged.
    package var isOtherVersion: Bool { otherVersion ?? false }

    /// How many rows are certainly lost.
    package var lostRows: Int64 {
        lost.reduce(0) { $0 + ($1.count == 2 ? max(0, $1[1].subtractingReportingOverflow($1[0]).partialValue) + 1 : 0) }
    }

    /// True where that row is in one of the ranges that are lost.
    package func isLost(_ sequence: Int64) -> Bool {
        lost.contains { $0.count == 2 && $0[0] <= sequence && sequence <= $0[1] }
    }

    /// For people: what happened, what is lost, and where the rest lies.
    package var words: String {
        if fileLeft == true { return "the store could not be used (\(cause)); it was left as it was" }
        let ranges = lost.filter { $0.count == 2 }.prefix(5).map { $0[0] == $0[1] ? "\($0[0])" : "\($0[0])–\($0[1])" }
        var words = isOtherVersion ? "the store \(cause)" : "the store was damaged (\(cause))"
        words += "; \(kept) rows of the log were kept"
        if !ranges.isEmpty {
            words += ", \(lostRows) are lost: " + ranges.joined(separator: ", ") + (lost.count > 5 ? ", …" : "")
        }
        if isEndUnknown { words += ", and an unknown number more" }
        if requeued > 0 { words += "; answers or reports being resent: \(requeued)" }
        if let setAside {
            words +=
                isOtherVersion
                ? "; its files are kept in \(setAside), for that version"
                : "; the damaged files are kept in \(setAside)"
        }
        return words
    }
}
