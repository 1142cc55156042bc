// SPDX-License-Identifier: Apache-2.0

/// What the run had said when the power went.
struct Knowledge {
    private(set) var boot = "a"
    private(set) var knowsAnchor = false
    /// Digests by recording number.
    private(set) var sealed: [Int: String] = [:]
    /// Samples put into rings, by boot and kind.
    private(set) var given: [String: [String: Int]] = [:]

    mutating func hear(_ mark: [Substring]) {
        switch mark.first {
        case "boot": boot = String(mark[1])
        case "anchor": knowsAnchor = true
        case "sealed": if let number = Int(mark[1]) { sealed[number] = String(mark[2]) }
        case "given": given[boot, default: [:]][String(mark[1])] = Int(mark[2])
        default: break
        }
    }
}
