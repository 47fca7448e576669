// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice A facet that a cut adds.
contract NewFacet {
    function answer() external pure returns (uint256) {
        return 42;
    }

    function whoCalls() external view returns (address caller, address context) {
        return (msg.sender, address(this));
    }
}

/// @notice Another facet with the function of NewFacet.
contract NewerFacet {
    function answer() external pure returns (uint256) {
        return 43;
    }
}

/// @notice An initializer of a cut.
contract Initializer {
    event Initialized(address context, uint256 value);
    event Answered(uint256 answer);

    error Refused(uint256 value);

    function init(uint256 value) external {
        emit Initialized(address(this), value);
    }

    /// @notice Calls the diamond that it runs in.
    function ask() external {
        emit Answered(NewFacet(address(this)).answer());
    }

    function refuse(uint256 value) external pure {
        revert Refused(value);
    }

    function refuseSilently() external pure {
        // memory-safe: touches no memory.
        assembly ("memory-safe") {
            revert(0, 0)
        }
    }
}

/// @notice A facet that tries to take the diamond's ownership in its calls, and calls back into it.
contract CallingFacet {
    function callBack(bytes calldata data) external returns (bool ok, bytes memory result) {
        return address(this).call(data);
    }
}
