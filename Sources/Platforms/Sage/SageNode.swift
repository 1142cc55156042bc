// SPDX-License-Identifier: Apache-2.0

/// A step or section, with the rows that it has become; rules, jumps and recorders find it here by name.
struct SageNode {
    let identifier: String
    /// Keys of the sections around it.
    let sections: [String]
    let rows: Range<Int>
}
