// SPDX-License-Identifier: Apache-2.0

/// A value of a `TOMLTable` and where it begins, so that `ConfigTable` can name the line of a mistake.
package struct TOMLValue: Sendable, Hashable {
    /// The kinds of TOML 1.0. The four of date and time are one, since nothing here reads them.
    package enum Content: Sendable, Hashable {
        case string(String)
        case integer(Int)
        case float(Double)
        case boolean(Bool)
        /// As it is written, with `T` between date and time and a capital `Z`; the
        /// calendar was checked.
        case time(String)
        case array([TOMLValue])
        case table(TOMLTable)
    }

    /// The first character of the value; of a table with a header its bracket, of an implied one
    /// the key that implies it.
    package let place: TOMLPlace
    package let content: Content

    init(_ place: TOMLPlace, _ content: Content) { (self.place, self.content) = (place, content) }
}
